/** Message ids: short, because each event of a message repeats its id. They sort by time and are unique in a session. */
const RANDOM_PART = 36 ** 6;

export const messageId = (): string =>
  Date.now().toString(36) +
  Math.floor(Math.random() * RANDOM_PART)
    .toString(36)
    .padStart(6, "0");
