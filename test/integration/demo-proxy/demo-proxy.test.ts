import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runCommand } from '../../../src/engine/system/process/run-command.ts';

const program = fileURLToPath(new URL('../../../scripts/demo-proxy/main.ts', import.meta.url));

it('one round of the pod proxy shows both templates and loses no connection', {
  timeout: 120_000,
}, async () => {
  const { stdout, stderr, exitCode } = await runCommand([process.execPath, program, '--once'], {
    timeoutMs: 110_000,
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/Event TemplateRefused: .*unexpected end of file/);
  expect(stdout.match(/^ {2}[1-9]\d* connections were answered, 0 lost$/gm)).toHaveLength(2);
  expect(exitCode).toBe(0);
});
