import { apiLb } from '../api-lb/product.ts';
import type { Product } from '../operate/doctor/product.ts';
import { vip } from '../vip/product.ts';

/** Every product, in the order in which they are shown. */
export const products: readonly Product[] = [apiLb, vip];
