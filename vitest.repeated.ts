import type { Reporter, TestCase } from 'vitest/node';

/**
 * Tests of whole nodes and pods may be repeated once: they depend on when two busy machines get to run. What passed
 * only the second time is listed beside the summary.
 */
export const repeatedOnce = { retry: 1, reporters: [listRepeated(), 'default'] } as const;

function listRepeated(): Reporter {
  const repeated: string[] = [];
  return {
    onTestCaseResult: (test: TestCase) => {
      if ((test.diagnostic()?.retryCount ?? 0) > 0)
        repeated.push(`${test.module.relativeModuleId}: ${test.fullName}`);
    },
    onTestRunEnd: () => {
      for (const name of repeated) console.log(`repeated once: ${name}`);
    },
  };
}
