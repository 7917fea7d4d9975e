/** `apiPort` is `--api-port`. */
export function flagName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `apiPort` is `HAWSER_API_PORT`. */
export function variableName(name: string): string {
  return `HAWSER_${flagName(name).slice('--'.length).toUpperCase().replaceAll('-', '_')}`;
}
