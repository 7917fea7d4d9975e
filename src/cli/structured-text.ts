/** Writes values in this format, without a newline at the end. YAML's library is loaded only where it is asked for. */
export async function structuredWriter(
  format: 'json' | 'yaml' | undefined,
): Promise<(value: unknown) => string> {
  if (format !== 'yaml') return (value) => JSON.stringify(value);
  const { yamlText } = await import('./yaml-text.ts');
  return yamlText;
}
