import { defineConfig } from 'vitest/config';
import { repeatedOnce } from './vitest.repeated.ts';
import { patience } from './vitest.shared.ts';

/** `npm run test:vrrp`: three whole nodes at a time, one file after the other. */
export default defineConfig({
  test: {
    ...patience,
    retry: repeatedOnce.retry,
    reporters: [...repeatedOnce.reporters],
    include: ['test/vrrp/**/*.test.ts'],
    fileParallelism: false,
  },
});
