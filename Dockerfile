# One image for web, sockets, workers and beat; the command decides which.
FROM python:3.12.13-slim-bookworm AS build
RUN pip install --no-cache-dir uv==0.13.9
WORKDIR /app
ENV UV_PROJECT_ENVIRONMENT=/venv UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy
COPY pyproject.toml uv.lock ./
ARG INSTALL="uv sync --frozen --no-default-groups --extra geoip --extra razorpay --extra sentry --extra tracing"
RUN $INSTALL --group docs
COPY . .
# `--build-arg COMPILE_RULES=1` compiles the hand solver from the same sources (decision 19).
ARG COMPILE_RULES=
RUN if [ -n "$COMPILE_RULES" ]; then \
        apt-get update -q && apt-get install -q -y --no-install-recommends gcc libc6-dev \
        && uv pip install --quiet --target /compiler mypy==2.4.1 setuptools \
        && PYTHONPATH=/compiler /venv/bin/python -m devtools.compile_rules \
        && rm -rf build .mypy_cache /compiler; \
    fi
# Placeholder secrets for this build step; real ones come from the container's environment.
RUN RUMMY_EPHEMERAL=1 SERVES_SOURCES=0 /venv/bin/python manage.py collectstatic --no-input \
    && NO_MKDOCS_2_WARNING=1 /venv/bin/python -m mkdocs build --quiet \
    && /venv/bin/python -m compileall -q .
# Remove the packages that only the documentation needs.
RUN $INSTALL

FROM python:3.12.13-slim-bookworm
RUN useradd --uid 1000 --no-create-home --shell /usr/sbin/nologin rummy \
    && install -d -o rummy -m 700 /exports
WORKDIR /app
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
COPY --from=build /venv /venv
COPY --from=build --chown=root:root /app /app
USER rummy
EXPOSE 8000
CMD ["python", "-m", "config.serving.serve", "web", "--host", "0.0.0.0"]
