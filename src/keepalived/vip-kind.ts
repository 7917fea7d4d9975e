/** What a VIP leads to: the Kubernetes API, or the ingress router. */
export type VipKind = 'api' | 'ingress';
