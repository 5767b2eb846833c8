"""deploy/kubernetes as rendered by kubectl: valid by the schema, and without unneeded rights."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import kubernetes_validate
import pytest
import yaml

from staff.monitoring.metrics import QUEUES
from tests.builders.processes.product import CHECKOUT

VERSION = "1.31"
KUBECTL = shutil.which("kubectl")

pytestmark = pytest.mark.skipif(
    KUBECTL is None, reason="no kubectl on this machine (apt install kubernetes-client)"
)


@pytest.fixture(scope="module")
def resources() -> list[dict[str, Any]]:
    assert KUBECTL is not None
    said = subprocess.run(
        [KUBECTL, "kustomize", CHECKOUT / "deploy" / "kubernetes"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return list(yaml.safe_load_all(said.stdout))


def of_kind(resources: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    return {each["metadata"]["name"]: each for each in resources if each["kind"] == kind}


def pods(resources: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what runs, by name: the pods' own parts of deployments and of the job."""
    found = of_kind(resources, "Deployment") | of_kind(resources, "Job")
    return {name: each["spec"]["template"] for name, each in found.items()}


@pytest.mark.extended
def test_every_resource_matches_its_schema(resources):
    for resource in resources:
        kubernetes_validate.validate(resource, VERSION, strict=True)


def test_every_process_runs_twice_and_one_always_stays(resources):
    deployments = of_kind(resources, "Deployment")
    budgets = of_kind(resources, "PodDisruptionBudget")

    assert set(budgets) == set(deployments)
    for name, deployment in deployments.items():
        assert deployment["spec"]["replicas"] == 2, name
        assert budgets[name]["spec"]["minAvailable"] == 1
        selected = budgets[name]["spec"]["selector"]["matchLabels"]
        assert selected.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()


def test_every_queue_has_its_workers(resources):
    workers = {name for name in of_kind(resources, "Deployment") if name.startswith("worker-")}

    assert workers == {f"worker-{queue}" for queue in QUEUES}
    scaled = of_kind(resources, "HorizontalPodAutoscaler")
    assert set(scaled) == workers | {"web", "live", "intake"}


def test_each_kind_of_process_gets_its_own_login(resources):
    logins = {
        name: set(re.findall(r"rummy-(settle|intake)", str(pod)))
        for name, pod in pods(resources).items()
    }

    assert {name for name, of in logins.items() if of == {"settle"}} == {
        "worker-settle",
        "worker-exports",
        "worker-messages",
    }
    assert {name for name, of in logins.items() if of == {"intake"}} == {"intake", "worker-intake"}
    assert all(len(of) <= 1 for of in logins.values())


def test_no_pod_has_an_unneeded_right(resources):
    for name, pod in pods(resources).items():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"], name
        assert spec["automountServiceAccountToken"] is False
        [container] = spec["containers"]
        assert container["image"] == "pool-rummy:latest"
        rights = container["securityContext"]
        assert rights["readOnlyRootFilesystem"]
        assert not rights["allowPrivilegeEscalation"]
        assert rights["capabilities"] == {"drop": ["ALL"]}
        assert "memory" in container["resources"]["limits"]


def test_the_owners_login_goes_to_the_migrations_alone(resources):
    owners = {name for name, pod in pods(resources).items() if "rummy-owner" in str(pod)}

    assert owners == {"migrate"}
    assert not of_kind(resources, "Secret")


def test_the_config_map_has_only_known_settings(resources):
    [settings] = [each for each in resources if each["kind"] == "ConfigMap"]
    known = set(
        re.findall(r"^#? ?([A-Z_]+)=", (CHECKOUT / ".env.example").read_text(), re.MULTILINE)
    )

    assert set(settings["data"]) - known == set()


def test_traffic_is_denied_unless_a_policy_allows_it(resources):
    policies = of_kind(resources, "NetworkPolicy")
    everybody = policies["nobody"]["spec"]

    assert everybody["policyTypes"] == ["Ingress", "Egress"]
    assert not {"ingress", "egress"} & set(everybody)
    chosen = everybody["podSelector"]["matchLabels"].items()
    assert all(chosen <= pod["metadata"]["labels"].items() for pod in pods(resources).values())
