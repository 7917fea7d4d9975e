/** Prints a text to stdout. A reader that closes the pipe early, such as `head`, is not a failure. */
export async function printText(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(`${text}\n`, () => resolve());
  });
}
