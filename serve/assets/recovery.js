// Asks until Elasticsearch answers again.
const SECONDS = 2;

export function recover(then) {
  const timer = setInterval(async () => {
    try {
      const health = await fetch("/api/health");
      if (!health.ok) return;
    } catch {
      return; // citespan itself is away
    }
    clearInterval(timer);
    then();
  }, SECONDS * 1000);
  return () => clearInterval(timer);
}
