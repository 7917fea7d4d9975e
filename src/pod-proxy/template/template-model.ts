/** A template's variables. */
export interface TemplateModel {
  /** The addresses of each downstream group that has any, by its name; both in a stable order. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
  /** The certificates' paths, by the names of their Secrets. */
  readonly certs: Readonly<Record<string, string>>;
}
