import type { RouteBackend } from '../model.ts';
import { INLINE_ADDRESSES } from './template-backend.ts';

/** Whether an allowlist is in a file. An empty one is, and admits nobody. */
export function isLong(allowlist: RouteBackend['allowlist']): boolean {
  return allowlist !== undefined && (allowlist.length > INLINE_ADDRESSES || allowlist.length === 0);
}
