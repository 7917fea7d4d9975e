/** Whether the router may get a Secret that a Route names, as the API says. */
export interface SecretReview {
  readonly namespace: string;
  readonly name: string;
  /** `unknown` where the API does not say. */
  readonly verdict: 'allowed' | 'denied' | 'unknown';
  /** The router's user, such as `system:serviceaccount:NAMESPACE:NAME`, where the API says it. */
  readonly user?: string;
}
