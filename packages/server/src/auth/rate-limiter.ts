/**
 * A token bucket per key: bursts of up to a minute's worth, then a steady rate. Returns the seconds to wait, or 0
 * when the request may pass.
 */

interface Bucket {
  tokens: number;
  at: number;
}

const MOST_BUCKETS = 10_000;

export function rateLimiter(now: () => number): (key: string, perMinute: number) => number {
  const buckets = new Map<string, Bucket>();
  return (key, perMinute) => {
    const time = now();
    const bucket = buckets.get(key) ?? { tokens: perMinute, at: time };
    if (!buckets.has(key) && buckets.size >= MOST_BUCKETS) buckets.clear();
    buckets.set(key, bucket);
    bucket.tokens = Math.min(perMinute, bucket.tokens + (Math.max(0, time - bucket.at) / 60_000) * perMinute);
    bucket.at = time;
    if (bucket.tokens < 1) return Math.max(1, Math.ceil(((1 - bucket.tokens) * 60) / perMinute));
    bucket.tokens -= 1;
    return 0;
  };
}
