/** nft commands that remove a table in one transaction, without an error if it is missing: `add` does nothing to an existing table. */
export function forgetTable(table: string): string {
  return `add table ${table}\ndelete table ${table}\n`;
}
