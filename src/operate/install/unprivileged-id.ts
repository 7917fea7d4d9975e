/**
 * User and group of the container "haproxy", in manifests/haproxy.yaml: a number that no distribution gives away
 * (docs/internals/decisions/0026).
 */
export const unprivilegedId = 65_529;
