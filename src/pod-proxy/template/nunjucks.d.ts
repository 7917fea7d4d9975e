/** Only the parser of nunjucks is used. The package has no types, and separate type packages omit the parser. */
declare module 'nunjucks/src/parser.js' {
  export interface Node {
    readonly typename: string;
    /** Starts at 0. */
    readonly lineno: number;
    readonly [field: string]: unknown;
  }
  const parser: {
    readonly parse: (text: string, extensions: readonly never[], options: object) => Node;
  };
  export default parser;
}
