import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The image, built once, and the pods of the manifests in a real container engine.
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ['test/e2e/**/*.test.ts'],
      globalSetup: ['test/e2e/helpers/global-setup.ts'],
      testTimeout: 900_000,
      hookTimeout: 900_000,
    },
  }),
);
