/** The service behind a VIP: the Kubernetes API or the ingress router. */
export const vipKinds = ['api', 'ingress'] as const;
export type VipKind = (typeof vipKinds)[number];

/** The kinds as text for messages. */
export const vipKindText: Readonly<Record<VipKind, string>> = { api: 'API', ingress: 'ingress' };
