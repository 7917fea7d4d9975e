import { apiLbStatus } from '../api-lb/status/product-status.ts';
import type { ProductStatus } from '../operate/status/product-status.ts';
import { podProxyStatus } from '../pod-proxy/status/pod-proxy-section.ts';
import { routerStatus } from '../router/report/product-status.ts';
import { vipStatus } from '../vip/status/product-status.ts';

/** The sections of `hawser status` of all products. Separate from `products.ts`, so that the command starts without doctor's checks. */
export const statusProducts: readonly ProductStatus[] = [
  apiLbStatus,
  vipStatus,
  routerStatus,
  podProxyStatus,
];
