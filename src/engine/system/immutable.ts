/** Data that is read-only all the way down, such as what a schema describes. */
export type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;
