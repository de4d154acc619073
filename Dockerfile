# syntax=docker/dockerfile:1
# Three stages: the client, the environment with its compiled kernels, and what runs.

FROM node:24-slim AS client
WORKDIR /src/client_web
COPY client_web/package.json client_web/package-lock.json client_web/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY client_web/ ./
RUN npm run build

FROM python:3.12-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/armspan
COPY requirements.lock /src/
RUN /opt/armspan/bin/pip install --require-hashes -r /src/requirements.lock \
    && /opt/armspan/bin/pip install "setuptools>=80"
COPY pyproject.toml setup.py README.md LICENSE /src/
COPY protocol/ /src/protocol/
COPY solvers/ /src/solvers/
COPY server/ /src/server/
COPY --from=client /src/server/web/static/ /src/server/web/static/
RUN /opt/armspan/bin/pip install --no-deps --no-build-isolation /src \
    && /opt/armspan/bin/pip uninstall --yes setuptools

FROM python:3.12-slim
# The kernels are compiled here for a stated processor, not for the one that happens to build the
# image: any x86-64 server since 2013 (AVX2, FMA) runs them. The empty feature list matters, since
# numba would otherwise add the build machine's features to the cache's key.
# On ARM: --build-arg NUMBA_CPU_NAME=generic
ARG NUMBA_CPU_NAME=x86-64-v3
ENV NUMBA_CPU_NAME=${NUMBA_CPU_NAME} \
    NUMBA_CPU_FEATURES="" \
    NUMBA_CACHE_DIR=/opt/armspan/kernels \
    PATH=/opt/armspan/bin:$PATH \
    PYTHONUNBUFFERED=1
COPY --from=build /opt/armspan /opt/armspan
RUN useradd --system --uid 10001 --create-home armspan \
    && install -d -o armspan /opt/armspan/kernels
USER armspan
RUN python -m armspan.server warm
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/healthz', timeout=2)"]
STOPSIGNAL SIGTERM
# Beyond loopback every session needs its key, so the container will not start without a secret.
ENTRYPOINT ["armspan"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080"]
