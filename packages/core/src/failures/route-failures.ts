/** Failures of the area "route". */
export const routeFailures = {};
