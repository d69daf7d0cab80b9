export const pawl = Promise.resolve({});
