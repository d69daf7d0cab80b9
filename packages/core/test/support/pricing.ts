/** Prices of a model in USD per million tokens. */
export const pricing = { input: 2, output: 10, cacheRead: 0.1, cacheWrite5m: 2.5, cacheWrite1h: 4 };
