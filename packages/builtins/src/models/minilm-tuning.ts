/**
 * MiniLM's fine-tuning for tasks and capabilities, on top of its published weights: for each tuned matrix W two thin
 * ones, so that W + up·down replaces it (a low-rank adaptation). `bench/routing/tune` trains and writes them.
 */
import type { Tensor, Tensors } from "./safetensors.ts";

export function tuned(base: Tensors, tuning: Tensors): Tensors {
  return {
    has: (name) => base.has(name) || tuning.has(name),
    get(name) {
      if (!base.has(name)) return tuning.get(name);
      const tensor = base.get(name);
      if (!tuning.has(`${name}.down`)) return tensor;
      return plusProduct(tensor, tuning.get(`${name}.up`), tuning.get(`${name}.down`));
    },
  };
}

function plusProduct({ dims, data }: Tensor, up: Tensor, down: Tensor): Tensor {
  const [rows = 0, columns = 0] = dims;
  const rank = down.dims[0] ?? 0;
  if (up.dims[0] !== rows || up.dims[1] !== rank || down.dims[1] !== columns)
    throw new Error(`MiniLM's tuning does not fit: [${up.dims}] and [${down.dims}] for [${dims}]`);
  const sum = Float32Array.from(data);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < rank; k++) {
      const factor = up.data[row * rank + k] as number;
      for (let column = 0; column < columns; column++) {
        const at = row * columns + column;
        sum[at] = (sum[at] as number) + factor * (down.data[k * columns + column] as number);
      }
    }
  }
  return { dims, data: sum };
}
