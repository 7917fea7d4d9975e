import { overLimit } from '../../engine/system/limit.ts';

/** The limits of a rendering. They do not depend on the machine's speed, so that a template has the same outcome everywhere. */
export interface Budget {
  /** Throws beyond the limit. A step is an evaluated node, or an item or character that a call reads or produces. */
  readonly spend: (steps: number) => void;
  /** Throws beyond the limit. Text that `set` or `filter` captures counts as well. */
  readonly print: (characters: number) => void;
}

/** The limit takes a quarter of a second; 5,000 servers need a tenth of it. */
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
