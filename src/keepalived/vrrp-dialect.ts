/**
 * `fast` is the program's own; `openshift` is the dialect of the shell pods, so that both can be in one VRRP group
 * while nodes are moved from one to the other.
 */
export type VrrpProfile = 'fast' | 'openshift';
export type VrrpMode = 'unicast' | 'multicast';
