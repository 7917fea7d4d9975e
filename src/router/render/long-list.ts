import type { RouteBackend } from '../model.ts';
import { INLINE_ADDRESSES } from './template-backend.ts';

/** Whether an allowlist has a file. An empty one has, which lets nobody in. */
export function isLong(allowlist: RouteBackend['allowlist']): boolean {
  return allowlist !== undefined && (allowlist.length > INLINE_ADDRESSES || allowlist.length === 0);
}
