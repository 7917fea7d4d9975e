/** What a VIP leads to: the Kubernetes API, or the ingress router. */
export const vipKinds = ['api', 'ingress'] as const;
export type VipKind = (typeof vipKinds)[number];

/** For people. */
export const vipKindText: Readonly<Record<VipKind, string>> = { api: 'API', ingress: 'ingress' };
