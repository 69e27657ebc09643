const short = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const signed = new Intl.NumberFormat("en", { maximumFractionDigits: 2, signDisplay: "exceptZero" });

export const scoreText = (score: number): string => short.format(score);
export const differenceText = (difference: number): string => signed.format(difference);
