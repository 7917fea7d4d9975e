# hawser's image: the commands of both manifests, HAProxy, keepalived, ip and nft. Build it with scripts/image.sh.
# Everything comes from the distribution and from node_modules, as package-lock.json pins it; nothing else is fetched.
ARG BASE=debian:bookworm-slim

# Bundles the program with the Node that will run it, and lays it out as a checkout does: bin/hawser finds both.
FROM ${BASE} AS build
WORKDIR /build
COPY package.json ./
COPY node_modules node_modules
COPY scripts/build.ts scripts/build.ts
COPY src src
COPY bin bin
COPY templates templates
COPY manifests manifests
RUN set -eu; \
    case "$(uname -m)" in aarch64) arch=arm64 ;; *) arch=x64 ;; esac; \
    node="node_modules/node-linux-$arch/bin/node"; \
    [ -x "$node" ] || { echo "Cannot build: $node is missing, expected npm ci to have run on a machine of this kind" >&2; exit 1; }; \
    "$node" scripts/build.ts; \
    mkdir -p "/opt/hawser/node_modules/node-linux-$arch/bin"; \
    cp "$node" "/opt/hawser/$node"; \
    cp "node_modules/node-linux-$arch/LICENSE" "/opt/hawser/node_modules/node-linux-$arch/LICENSE"; \
    cp -R bin dist templates manifests package.json /opt/hawser/; \
    chmod -R a+rX,go-w /opt/hawser

FROM ${BASE}
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="hawser" \
      org.opencontainers.image.description="Static-pod supervisor for the Kubernetes API-server HAProxy" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# The package would start a daemon of its own where an init runs, and brings a configuration that nobody asked for:
# the supervisor waits for the monitor's instead.
RUN set -eu; \
    apt-get update; \
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates haproxy iproute2 keepalived nftables tini; \
    rm -rf /var/lib/apt/lists/* /etc/haproxy/haproxy.cfg; \
    mkdir -p /config /var/run/haproxy /var/lib/haproxy/run /var/run/keepalived
COPY --from=build /opt/hawser /opt/hawser
COPY LICENSE /opt/hawser/LICENSE
RUN ln -s /opt/hawser/bin/hawser /usr/local/bin/hawser
# The supervisor is well when a generation serves. Kubernetes has probes of its own and ignores this.
HEALTHCHECK --interval=30s --timeout=5s --start-period=50s \
    CMD ["hawser", "haproxy", "status", "--timeout=4s"]
# An init as PID 1, because Node does not wait for orphans that it adopts. It passes signals on.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/hawser"]
CMD ["haproxy", "supervise"]
