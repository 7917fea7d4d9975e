# hawser's image: the commands of both manifests, HAProxy, keepalived, ip and nft. Build it with scripts/image.sh.
# Debian 13 has HAProxy 3.0 and keepalived 2.3; BASE=debian:bookworm-slim is Debian 12 with 2.6 and 2.2.
# Everything comes from the distribution and from node_modules, as package-lock.json pins it; nothing else is fetched.
ARG BASE=debian:trixie-slim

# HAProxy, keepalived, ip and nft, with what they need.
FROM ${BASE} AS system
# The day that useradd notes for the packages' users. Everything else takes its time from the builder.
ARG SOURCE_DATE_EPOCH=0
# A time of Debian's archive of all its states, such as 20260918T000000Z; empty: the base's own sources, as they are now.
ARG SNAPSHOT=
# The packages would start daemons of their own where an init runs, and bring a configuration that is not ours: the
# supervisors wait for the monitors' instead. Left out of the packages: what only people read, and Perl's modules, which
# keepalived's SNMP library wants and never loads. What differs from one build to the next goes too: logs, caches, lists.
# keepalived 2.3 of Debian 13 does not start without a file of its package in /etc/keepalived: the pod mounts the node's folder
# elsewhere.
RUN set -eu; \
    for path in bash-completion doc info lintian locale man; do \
        echo "path-exclude=/usr/share/$path/*"; \
    done >/etc/dpkg/dpkg.cfg.d/hawser; \
    printf 'path-exclude=/usr/include/*\npath-include=/usr/share/doc/*/copyright\n' >>/etc/dpkg/dpkg.cfg.d/hawser; \
    if [ -n "$SNAPSHOT" ]; then \
        . /usr/lib/os-release; \
        archive='deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://snapshot.debian.org/archive'; \
        echo "$archive/debian/$SNAPSHOT $VERSION_CODENAME main" >/tmp/apt.list; \
        echo "$archive/debian-security/$SNAPSHOT $VERSION_CODENAME-security main" >>/tmp/apt.list; \
        echo 'Dir::Etc::SourceList "/tmp/apt.list"; Dir::Etc::SourceParts "-"; Acquire::Check-Valid-Until "false";' >/tmp/apt.conf; \
        export APT_CONFIG=/tmp/apt.conf; \
    fi; \
    apt-get update; \
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates haproxy iproute2 keepalived nftables tini; \
    apt-get clean; \
    rm -rf /etc/dpkg/dpkg.cfg.d/hawser /etc/haproxy/haproxy.cfg /usr/share/perl/5* /usr/lib/*/perl/5*; \
    rm -rf /tmp/apt.* /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/aux-cache /var/cache/debconf/*-old /run/adduser; \
    find /var/lib/dpkg /etc -name '*-old' -delete -o -name '*-' -type f -delete; \
    find /var/log -type f -delete; \
    mkdir -p /config /var/run/haproxy /var/lib/haproxy/run /var/run/keepalived; \
    ln -s /opt/hawser/bin/hawser /usr/local/bin/hawser

# Bundles the program with the Node that will run it, and lays it out as a checkout does: bin/hawser finds both. Beside
# them sbom.spdx.json lists every package of the image.
FROM ${BASE} AS build
# "amd64" or "arm64": set by the builder for --platform.
ARG TARGETARCH
ARG SOURCE_DATE_EPOCH=0
WORKDIR /build
COPY --from=system /var/lib/dpkg/status /system/var/lib/dpkg/status
COPY --from=system /usr/lib/os-release /system/usr/lib/os-release
COPY package.json package-lock.json LICENSE ./
COPY node_modules node_modules
COPY scripts/build.ts scripts/build.ts
COPY scripts/image scripts/image
COPY src src
COPY bin bin
COPY templates templates
COPY manifests manifests
RUN set -eu; \
    case "${TARGETARCH:-$(uname -m)}" in arm64 | aarch64) arch=arm64 ;; *) arch=x64 ;; esac; \
    node="node_modules/node-linux-$arch/bin/node"; \
    [ -x "$node" ] || { echo "Cannot build: $node is missing, expected npm ci to have run for $arch" >&2; exit 1; }; \
    "$node" scripts/build.ts; \
    mkdir -p "/opt/hawser/node_modules/node-linux-$arch/bin"; \
    cp "$node" "/opt/hawser/$node"; \
    cp "node_modules/node-linux-$arch/LICENSE" "/opt/hawser/node_modules/node-linux-$arch/LICENSE"; \
    cp -R bin dist templates manifests package.json LICENSE /opt/hawser/; \
    "$node" scripts/image/main.ts /opt/hawser /system; \
    chmod -R u=rwX,go=rX /opt/hawser

FROM system
COPY --from=build /opt/hawser /opt/hawser
# The supervisor is well when a generation serves. Kubernetes has probes of its own and ignores this.
HEALTHCHECK --interval=30s --timeout=5s --start-period=50s \
    CMD ["hawser", "haproxy", "status", "--timeout=4s"]
# An init as PID 1, because Node does not wait for orphans that it adopts. It passes signals on.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/hawser"]
CMD ["haproxy", "supervise"]
# Last, because they change with every commit.
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG SOURCE=unknown
ENV HAWSER_REVISION="${REVISION}"
LABEL org.opencontainers.image.title="hawser" \
      org.opencontainers.image.description="Static-pod supervisor for the Kubernetes API-server HAProxy and its virtual IP" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
