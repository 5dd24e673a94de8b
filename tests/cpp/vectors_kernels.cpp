// Right values of vectors.h: softmax and attention.
#include "cpp/vectors.h"
#include "cpp/vectors_json.h"

namespace sqrtdk::test {
namespace {

const Json& SoftmaxFile() {
  static const Json json = Load("softmax.json");
  return json;
}

AttentionCase ToAttentionCase(const Json& c) {
  AttentionCase a{};
  a.name = Text(c, "name");
  a.queries = Size(c, "T");
  a.keys = Size(c, "n");
  a.key_dimension = Size(c, "d_k");
  a.value_dimension = Size(c, "d_v");
  a.scale = Text(c, "scale");
  a.scale_value = Number(c, "scale_value");
  const Json& causal = At(c, "causal");
  if (causal == "top-left") {
    a.causal = CausalAlignment::kTopLeft;
  } else if (causal == "bottom-right") {
    a.causal = CausalAlignment::kBottomRight;
  } else if (!causal.is_null()) {
    Fail("unknown causal alignment " + causal.dump());
  }
  const Json& softcap = At(c, "softcap");
  a.softcap = softcap.is_null() ? 0.0 : Number(softcap);
  if (!At(c, "mask").is_null()) {
    for (double allowed : Numbers(c, "mask")) a.mask.push_back(allowed != 0.0 ? 1 : 0);
  }
  a.q = Numbers(c, "Q");
  a.k = Numbers(c, "K");
  a.v = Numbers(c, "V");
  a.d_output = Numbers(c, "dO");
  a.scores = Numbers(c, "scores");
  a.p = Numbers(c, "P");
  a.log_sum_exp = Numbers(c, "lse");
  a.output = Numbers(c, "O");
  a.dq = Numbers(c, "dQ");
  a.dk = Numbers(c, "dK");
  a.dv = Numbers(c, "dV");
  a.d_scores = Numbers(c, "dS");
  a.loss = Number(c, "loss_sum_O_dO");
  a.dq_norm = Number(c, "norm_dQ");
  a.dk_norm = Number(c, "norm_dK");
  const std::size_t tn = a.queries * a.keys;
  if (a.q.size() != a.queries * a.key_dimension || a.k.size() != a.keys * a.key_dimension ||
      a.v.size() != a.keys * a.value_dimension || a.output.size() != a.queries * a.value_dimension ||
      a.scores.size() != tn || a.p.size() != tn || a.d_scores.size() != (a.softcap == 0.0 ? tn : 0) ||
      (!a.mask.empty() && a.mask.size() != tn)) {
    Fail("attention case \"" + a.name + "\" has a shape that does not fit");
  }
  return a;
}

}  // namespace

const std::vector<SoftmaxCase>& SoftmaxCases() {
  static const auto table = Table<SoftmaxCase>(At(SoftmaxFile(), "cases"), [](const Json& c) {
    return SoftmaxCase{Text(c, "name"),
                       Numbers(c, "z"),
                       Numbers(c, "g"),
                       Numbers(c, "p"),
                       Numbers(c, "logp"),
                       Number(c, "lse"),
                       Number(c, "entropy"),
                       Number(c, "n_eff_exp_entropy"),
                       Number(c, "n_eff_inv_simpson"),
                       Number(c, "sum_p2"),
                       Number(c, "trace_J"),
                       Number(c, "one_minus_pmax"),
                       Number(c, "fro_J"),
                       Number(c, "norm_inf_J"),
                       Numbers(c, "Jg"),
                       NumberOr(c, "spec_J", NumberOr(c, "spec_J_float64", kNoNumber))};
  });
  return table;
}

const std::vector<TwoKeyCase>& TwoKeyCases() {
  static const auto table = Table<TwoKeyCase>(At(SoftmaxFile(), "two_key"), [](const Json& c) {
    return TwoKeyCase{Number(c, "tau2"),      Number(c, "E_p1mp"), Number(c, "median_p1mp"),
                      Number(c, "E_entropy"), Number(c, "E_pmax"), Number(c, "prob_p1mp_lt_1e_3")};
  });
  return table;
}

const std::vector<AttentionCase>& AttentionCases() {
  static const auto table = [] {
    const Json json = Load("attention.json");
    return Table<AttentionCase>(At(json, "cases"), ToAttentionCase);
  }();
  return table;
}

}  // namespace sqrtdk::test
