/** Failures of the area "run". */
export const runFailures = {};
