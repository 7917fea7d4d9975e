/** What a template gets. */
export interface TemplateModel {
  /** The addresses of each downstream group that has any, by its name; both in a stable order. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
}
