/** Failures of the area "install". */
export const installFailures = {};
