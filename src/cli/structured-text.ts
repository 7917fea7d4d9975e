/** Serialises values in this format, without a trailing newline. The YAML library is loaded on demand. */
export async function structuredWriter(
  format: 'json' | 'yaml' | undefined,
): Promise<(value: unknown) => string> {
  if (format !== 'yaml') return (value) => JSON.stringify(value);
  const { default: yaml } = await import('yaml');
  // Long texts stay on one line.
  return (value) => yaml.stringify(value, { lineWidth: 0 }).trimEnd();
}
