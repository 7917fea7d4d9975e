/** Data that is read-only at every level, such as the output of a schema. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;
