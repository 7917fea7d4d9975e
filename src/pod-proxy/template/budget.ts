import { overLimit } from '../../engine/system/limit.ts';

/** The limits of a rendering: the same template ends the same way on every machine. */
export interface Budget {
  /** Throws beyond the limit. A step is an evaluated node, or an item or character that a call reads or makes. */
  readonly spend: (steps: number) => void;
  /** Throws beyond the limit. Text that `set` or `filter` captures counts as well. */
  readonly print: (characters: number) => void;
}

/** They take a quarter of a second; 5,000 servers take a tenth of them. */
const MAX_STEPS = 1_000_000;
const MAX_RENDERED_CHARACTERS = 500_000;

export function createBudget(): Budget {
  let steps = 0;
  let characters = 0;
  return {
    spend: (more) => {
      steps += more;
      if (steps > MAX_STEPS) throw new Error(`it takes ${overLimit(steps, 'steps', { MAX_STEPS })}`);
    },
    print: (more) => {
      characters += more;
      mustBePrintable(characters);
    },
  };
}

export function mustBePrintable(characters: number): void {
  const over = overLimit(characters, 'characters', { MAX_RENDERED_CHARACTERS });
  if (over !== undefined) throw new Error(`it prints ${over}`);
}
