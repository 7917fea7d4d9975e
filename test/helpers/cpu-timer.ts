/** Late once this process, which waits, and its threads have used this much CPU time: a starved thread has not had its time. */
export function cpuTimer(ms: number, onLate: () => void) {
  const start = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(start);
    if (user + system < ms * 1_000) return;
    clearInterval(timer);
    onLate();
  }, 50);
  return { restart: () => undefined, [Symbol.dispose]: () => clearInterval(timer) };
}
