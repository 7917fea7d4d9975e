import { defineConfig } from 'vitest/config';
import { patience } from './vitest.shared.ts';

/** `npm run test:vrrp`: three whole nodes at a time, one file after the other. */
export default defineConfig({
  test: { ...patience, include: ['test/integration/vrrp/**/*.test.ts'], fileParallelism: false },
});
