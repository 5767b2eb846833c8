"""docker-compose.yml follows the Compose specification; no engine is needed to say so."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from compose_spec import PyCompose
from django.conf import settings
from django.urls import reverse

# What compose itself would do first: put in the variables, or their defaults.
TEXT = re.sub(
    r"\$\{\w+:(?:-(?P<default>[^}]*)|\?[^}]*)\}",
    lambda variable: variable["default"] or "given",
    (settings.BASE_DIR / "docker-compose.yml").read_text(),
)
COMPOSE = yaml.safe_load(TEXT)
DOCKERFILE = (settings.BASE_DIR / "Dockerfile").read_text()
ANSWERS_OF_THE_IMAGE = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.test import Client
for page in ("/docs/", "/docs/hi/money/", "/static/img/mark.svg", "/docs/pictures/table.webp"):
    answer = Client(headers={"host": "localhost"}).get(page)
    print(answer.status_code, answer["Content-Type"].partition(";")[0])
"""
OF_MONEY = {
    "DEPOSIT_LIMIT_DAY",
    "DEPOSIT_LIMIT_MONTH",
    "WITHDRAWAL_APPROVAL_HOURS",
    "WITHDRAWAL_PAYMENT_HOURS",
    "IDEMPOTENCY_KEPT_DAYS",
}


def test_the_file_is_valid_by_the_specification():
    compose = PyCompose.from_json(json.dumps(COMPOSE))

    assert set(compose.service_names()) >= {"postgres", "redis", "web", "live", "beat", "proxy"}


def test_the_specification_refuses_what_it_does_not_know():
    broken = {**COMPOSE, "services": {"web": {"image": "x", "expozed": ["8000"]}}}

    with pytest.raises(ValueError, match="expozed"):
        PyCompose.from_json(json.dumps(broken))


def test_every_queue_has_its_own_worker():
    routed = {settings.CELERY_TASK_DEFAULT_QUEUE}
    routed |= {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    worked = {
        command[command.index("-Q") + 1]
        for service in COMPOSE["services"].values()
        if "-Q" in (command := service.get("command", []))
    }

    assert worked == routed


def test_every_long_running_service_has_a_health_check():
    checks = {name: service.get("healthcheck") for name, service in COMPOSE["services"].items()}

    assert checks.pop("migrate") is None
    assert all(checks.values()), checks
    scripts = [
        check["test"][3]
        for check in checks.values()
        if check["test"][:3] == ["CMD", "python", "-c"]
    ]
    assert len(scripts) == 10
    for script in scripts:
        compile(script, "healthcheck", "exec")


def test_mounted_files_are_in_the_checkout():
    mounts = [
        Path(volume.split(":")[0])
        for service in COMPOSE["services"].values()
        for volume in service.get("volumes", [])
        if volume.startswith("./")
    ]

    assert mounts
    assert all((settings.BASE_DIR / mount).is_file() for mount in mounts)


def test_no_container_has_an_unneeded_right():
    for name, service in COMPOSE["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["read_only"] is True, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "/tmp" in service["tmpfs"], name  # noqa: S108
        assert "cap_add" not in service, name
        assert not service.get("privileged"), name
        # The application's image names its user itself.
        assert service.get("user", "root") != "root" or service["image"] == "pool-rummy", name
    assert re.search(r"^USER rummy$", DOCKERFILE, re.MULTILINE)


def test_every_image_is_of_one_version():
    images = {service["image"] for service in COMPOSE["services"].values()} - {"pool-rummy"}
    images |= set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE))

    assert len(images) == 4
    for image in images:
        assert re.search(r":\d+\.\d+(\.\d+)?(-[a-z-]+)?(@sha256:[0-9a-f]{64})?$", image), image
    assert re.search(r"pip install --no-cache-dir uv==\d+\.\d+\.\d+$", DOCKERFILE, re.MULTILINE)


@pytest.mark.extended
def test_image_serves_the_documents(tmp_path):
    """Runs the steps of the Dockerfile between its copy of the sources and its removal of tools."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=settings.BASE_DIR, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    left_out = (settings.BASE_DIR / ".dockerignore").read_text().split()
    for name in filter(None, tracked):
        if name.partition("/")[0] not in left_out:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(settings.BASE_DIR / name, tmp_path / name)
    steps = DOCKERFILE.partition("COPY . .\n")[2].partition("\nRUN $INSTALL\n")[0]
    [*_, command] = re.findall(r"^RUN ((?:.*\\\n)*.*)$", steps, re.MULTILINE)
    assert "mkdocs build" in command
    placeholders = {"RUMMY_EPHEMERAL": "1", "SERVES_SOURCES": "0"}
    environment = {"PATH": os.environ["PATH"], "PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}

    def run(*program, **variables):
        return subprocess.run(
            program,
            cwd=tmp_path,
            env=environment | variables,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    run("sh", "-c", command.replace("/venv/bin/python", sys.executable))
    answers = run(sys.executable, "-c", ANSWERS_OF_THE_IMAGE, **placeholders).splitlines()

    assert answers == ["200 text/html", "200 text/html", "200 image/svg+xml", "200 image/webp"]


def test_proxy_uses_tls_and_redis_requires_a_password():
    services = COMPOSE["services"]
    redis, shown = services["redis"], services["web"]["environment"]

    assert str(shown["HTTPS"]) == "1"
    assert {name for name, service in services.items() if "ports" in service} == {"proxy"}
    assert shown["REDIS_URL"] == "redis://:given@redis:6379/0"
    assert redis["environment"]["REDIS_PASSWORD"] == "given"
    assert "requirepass" in redis["command"][-1]
    assert "given" not in redis["command"][-1]  # Arguments are for everybody to read.


def test_every_documented_setting_reaches_the_application():
    example = (settings.BASE_DIR / ".env.example").read_text()
    # The database's own passwords, and what only compose reads.
    of_compose = {"POSTGRES_PASSWORD", "OWNER_PASSWORD", "REDIS_PASSWORD"}
    of_compose |= {"WEB_PASSWORD", "SETTLE_PASSWORD", "INTAKE_PASSWORD"}
    of_compose |= {"PORT", "HTTPS_PORT", "TLS_DIR", "REAL_IP_FROM"}
    for_elsewhere = {"DATABASE_POOL_MAX", "DATABASE_OWNER_URL", "REPLICA_URL"}
    for_elsewhere |= {"DATABASE_POOLER", "DATABASE_POOLER_PREPARES"}
    for_elsewhere |= {"PASSWORDS_AT_ONCE", "PASSWORDS_WAITING"}
    offered = set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE))

    passed = set(COMPOSE["services"]["web"]["environment"])

    assert {"PUBLIC_URL", "PAYEE_KEYS", "CASH_WIND_DOWN"} <= passed
    assert offered - of_compose - for_elsewhere <= passed
    assert passed <= offered


def test_all_services_of_the_application_have_the_same_settings():
    shown = {
        name: service["environment"]
        for name, service in COMPOSE["services"].items()
        if service.get("image") == "pool-rummy"
    }
    # Only what migrates can reach the database as its owner.
    assert "rummy_owner" in shown["migrate"].pop("DATABASE_OWNER_URL")

    logins = {name: login_of(environment) for name, environment in shown.items()}
    assert logins == dict.fromkeys(shown, "rummy_web") | {
        "worker-settle": "rummy_settle",
        "worker-exports": "rummy_settle",
        "worker-messages": "rummy_settle",
        "intake": "rummy_intake",
        "worker-intake": "rummy_intake",
    }
    assert len(shown) >= 9
    same = [{**environment, "DATABASE_URL": ""} for environment in shown.values()]
    assert all(environment == same[0] for environment in same)


def login_of(environment):
    return re.match(r"postgres://(\w+):", environment["DATABASE_URL"])[1]


def test_the_defaults_of_compose_are_those_of_the_settings():
    with_defaults = re.findall(
        r"^    ([A-Z_]+): \$\{\w+:-([^}]*)\}",
        (settings.BASE_DIR / "docker-compose.yml").read_text(),
        re.MULTILINE,
    )
    numbers = {name: float(default) for name, default in with_defaults if name in OF_MONEY}

    assert numbers == {
        "DEPOSIT_LIMIT_DAY": settings.DEPOSIT_LIMITS["day"],
        "DEPOSIT_LIMIT_MONTH": settings.DEPOSIT_LIMITS["month"],
        "WITHDRAWAL_APPROVAL_HOURS": settings.WITHDRAWAL_WAIT_HOURS["requested"],
        "WITHDRAWAL_PAYMENT_HOURS": settings.WITHDRAWAL_WAIT_HOURS["approved"],
        "IDEMPOTENCY_KEPT_DAYS": settings.IDEMPOTENCY_KEPT_DAYS,
    }


def test_webhooks_reach_the_intake_without_cookies():
    proxy = (settings.BASE_DIR / "deploy" / "nginx.conf").read_text()
    [block] = re.findall(r"location /api/v1/wallet/webhooks/ \{(.*?)\n        \}", proxy, re.DOTALL)

    assert reverse("api-webhook", args=["razorpay"]).startswith("/api/v1/wallet/webhooks/")
    assert "proxy_pass http://$intake;" in block
    assert 'proxy_set_header Cookie "";' in block
    assert 'proxy_set_header Authorization "";' in block
    assert proxy.count("http://$intake") == 1
