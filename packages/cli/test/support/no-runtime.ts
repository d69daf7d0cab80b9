export const store = {};
export const agents = [];
