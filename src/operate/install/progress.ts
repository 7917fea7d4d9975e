import type { OutputFormat } from '../../cli/command-spec.ts';
import { structuredWriter } from '../../cli/structured-text.ts';
import { type Removal, removalText } from './removal.ts';

/** A removal that was made, or would be. */
type RemovalStep =
  | Removal
  | { readonly kind: 'remove-vip'; readonly vip: string; readonly interface: string }
  | { readonly kind: 'remove-firewall-table' };

export interface Progress {
  /** Prints the step at once as text; a structured format keeps it for the document at the end. */
  step(step: RemovalStep): void;
  /** Prints the outcome, and what is left on stderr; returns the exit code. */
  end(outcome: 'nothing-to-do' | 'dry-run' | 'done' | 'left', text: string, left?: readonly string[]): number;
}

export async function createProgress(json: OutputFormat | undefined): Promise<Progress> {
  const steps: RemovalStep[] = [];
  const write = await structuredWriter(json);
  return {
    step: (step) => {
      if (json === undefined) process.stdout.write(`${stepText(step)}\n`);
      else steps.push(step);
    },
    end: (outcome, text, left = []) => {
      for (const each of left) process.stderr.write(`left: ${each}\n`);
      process.stdout.write(json === undefined ? text : `${write({ outcome, steps, left })}\n`);
      return outcome === 'left' ? 1 : 0;
    },
  };
}

function stepText(step: RemovalStep): string {
  switch (step.kind) {
    case 'remove-vip':
      return `- VIP ${step.vip} on ${step.interface}`;
    case 'remove-firewall-table':
      return '- the firewall table';
    default:
      return removalText(step);
  }
}
