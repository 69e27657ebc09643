export { ALL_MANIFESTS, MANIFESTS } from "./manifests/all.ts";
export {
  MATRIX_COLUMNS,
  type MatrixColumn,
  type MatrixRow,
  matrixMarkdown,
  matrixRows,
} from "./manifests/matrix.ts";
