import { apiLb } from '../api-lb/product.ts';
import { type Product, product } from '../operate/doctor/product.ts';
import { podProxy } from '../pod-proxy/product.ts';
import { router } from '../router/product.ts';
import { vip } from '../vip/product.ts';

/** Every product, in display order. */
export const products: readonly Product[] = [
  product(apiLb),
  product(vip),
  product(router),
  product(podProxy),
];
