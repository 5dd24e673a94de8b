/** Just enough of the ONNX format to write the graphs of this benchmark: protocol buffers, encoded by hand. */

function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

// A field is its number and wire type, then the value: type 0 a varint, 2 bytes with their length, 5 a 32-bit float.
const integerField = (number, value) => [...varint(number * 8), ...varint(value)];
const bytesField = (number, bytes) => [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
const textField = (number, text) => bytesField(number, [...new TextEncoder().encode(text)]);
const floatField = (number, value) => [
  ...varint(number * 8 + 5),
  ...new Uint8Array(Float32Array.of(value).buffer),
];

const [floatType, int64Type] = [1, 7];

/** Value: an integer, an array of integers, or `{ float }`. */
function attribute([name, value]) {
  const kinds = { float: 1, integer: 2, integers: 7 };
  const withKind = (kind, bytes) =>
    bytesField(5, [...textField(1, name), ...bytes, ...integerField(20, kinds[kind])]);
  if (Array.isArray(value))
    return withKind(
      "integers",
      value.flatMap((item) => integerField(8, item)),
    );
  if (typeof value === "object") return withKind("float", floatField(2, value.float));
  return withKind("integer", integerField(3, value));
}

/** One operator: `node("MatMul", "a b", "product")`, names separated by spaces. */
export function node(operator, inputs, outputs, attributes = {}, domain = "") {
  const names = (text) => text.split(" ").filter((name) => name);
  return bytesField(1, [
    ...names(inputs).flatMap((name) => textField(1, name)),
    ...names(outputs).flatMap((name) => textField(2, name)),
    ...textField(4, operator),
    ...Object.entries(attributes).flatMap(attribute),
    ...textField(7, domain),
  ]);
}

/** A constant of the graph: `{ float }`, a scalar, or `{ integers }`, a vector. */
function constant([name, { float, integers }]) {
  const dimensions = integers ? integerField(1, integers.length) : [];
  const data = integers ? BigInt64Array.from(integers, BigInt) : Float32Array.of(float);
  const type = integerField(2, integers ? int64Type : floatType);
  const raw = bytesField(9, [...new Uint8Array(data.buffer)]);
  return bytesField(5, [...dimensions, ...type, ...textField(8, name), ...raw]);
}

function tensor(number, [name, shape]) {
  const dimensions = shape.flatMap((length) => bytesField(1, integerField(1, length)));
  const type = bytesField(1, [...integerField(1, floatType), ...bytesField(2, dimensions)]);
  return bytesField(number, [...textField(1, name), ...bytesField(2, type)]);
}

/** `inputs` and `outputs` map names to shapes; all values are float32. */
export function model({ nodes, inputs = {}, outputs, constants = {}, opset = 21 }) {
  const graph = [
    ...nodes.flat(),
    ...textField(2, "graph"),
    ...Object.entries(constants).flatMap(constant),
    ...Object.entries(inputs).flatMap((entry) => tensor(11, entry)),
    ...Object.entries(outputs).flatMap((entry) => tensor(12, entry)),
  ];
  const operators = (domain, version) =>
    bytesField(8, [...textField(1, domain), ...integerField(2, version)]);
  // Operator set 23, which brought Attention, needs format version 11.
  const formatVersion = integerField(1, opset >= 23 ? 11 : 8);
  const operatorSets = [...operators("", opset), ...operators("com.microsoft", 1)];
  return Uint8Array.from([...formatVersion, ...bytesField(7, graph), ...operatorSets]);
}
