export const pawl = 1;
