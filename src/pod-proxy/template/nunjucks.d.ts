/** The parts of nunjucks that `jinja.ts` is built on. The package has no types, and those for it leave these out. */

declare module 'nunjucks/src/nodes.js' {
  export class Node {
    readonly typename: string;
    /** Counted from 0. */
    readonly lineno: number;
    readonly [field: string]: unknown;
  }
}

declare module 'nunjucks/src/parser.js' {
  import type { Node } from 'nunjucks/src/nodes.js';

  const parser: {
    readonly parse: (text: string, extensions: readonly never[], options: object) => Node;
  };
  export default parser;
}

declare module 'nunjucks/src/compiler.js' {
  const compiler: {
    /** JavaScript that returns an object with the function `root`. */
    readonly compile: (
      text: string,
      asyncFilters: readonly never[],
      extensions: readonly never[],
      name: string,
      options: object,
    ) => string;
  };
  export default compiler;
}

declare module 'nunjucks/src/runtime.js' {
  export interface Scope {
    readonly lookup: (name: string) => unknown;
  }
  const runtime: { readonly Frame: new () => Scope; readonly [name: string]: unknown };
  export default runtime;
}

declare module 'nunjucks/src/filters.js' {
  const filters: Readonly<Record<string, (...values: never) => unknown>>;
  export default filters;
}
