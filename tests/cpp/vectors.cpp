// Right values of vectors.h: laws of scores and of rows of them.
#include "cpp/vectors.h"

#include "cpp/vectors_json.h"

namespace sqrtdk::test {
namespace {

const Json& VarianceGammaFile() {
  static const Json json = Load("variance_gamma.json");
  return json;
}

const Json& EnsembleFile() {
  static const Json json = Load("ensemble.json");
  return json;
}

EnsembleCase ToEnsembleCase(const Json& c) {
  const Json& exact = At(c, "exact");
  const Json& mc = At(c, "mc");
  const Json& median = At(c, "median");
  return {Integer(c, "n"),
          Number(c, "sigma"),
          Number(exact, "H"),
          Number(exact, "maxp"),
          Number(exact, "S2"),
          Number(exact, "S3"),
          Number(exact, "S2sq"),
          Number(exact, "trJ"),
          Number(exact, "F2"),
          Number(exact, "lnZ"),
          Integer(c, "trials"),
          MeanAndError(mc, "H"),
          MeanAndError(mc, "maxp"),
          MeanAndError(mc, "S2"),
          MeanAndError(mc, "F"),
          MeanAndError(mc, "trJ"),
          Number(median, "F"),
          Number(median, "maxp"),
          Number(median, "H"),
          Number(c, "frac_rows_F_lt_1e3"),
          Number(c, "f32_zero_frac_denormal"),
          Number(c, "f32_rows_pmax_eq_1")};
}

SharedQueryCase ToSharedQueryCase(const Json& c) {
  const Json& exact = At(c, "exact");
  const Json& mc = At(c, "mc");
  const int dimension = Integer(c, "d");
  const std::string scale = Text(c, "scale");
  if (scale != "none" && scale != "sqrt") Fail("unknown scale " + scale);
  return {Integer(c, "n"),
          dimension,
          scale,
          scale == "none" ? 1.0 : 1.0 / std::sqrt(dimension),
          Number(exact, "S2"),
          Number(exact, "H"),
          Number(exact, "trJ"),
          Number(exact, "F2"),
          MeanAndError(mc, "H"),
          MeanAndError(mc, "maxp"),
          MeanAndError(mc, "S2"),
          MeanAndError(mc, "F"),
          MeanAndError(mc, "trJ")};
}

}  // namespace

const std::vector<VarianceGammaPoint>& VarianceGammaPoints() {
  static const auto table = Table<VarianceGammaPoint>(At(VarianceGammaFile(), "points"), [](const Json& c) {
    return VarianceGammaPoint{Integer(c, "d"), Number(c, "x"),   Number(c, "z"),     Number(c, "pdf"),
                              Number(c, "sf"), Number(c, "cdf"), Number(c, "logpdf")};
  });
  return table;
}

const std::vector<VarianceGammaQuantile>& VarianceGammaQuantiles() {
  static const auto table = Table<VarianceGammaQuantile>(
      At(VarianceGammaFile(), "quantiles"),
      [](const Json& c) { return VarianceGammaQuantile{Integer(c, "d"), Number(c, "p"), Number(c, "x")}; });
  return table;
}

const std::vector<VarianceGammaMoments>& VarianceGammaMomentRows() {
  static const auto table =
      Table<VarianceGammaMoments>(At(VarianceGammaFile(), "moments"), [](const Json& c) {
        return VarianceGammaMoments{Integer(c, "d"),     Number(c, "ES2"), Number(c, "ES4"),
                                    Number(c, "ES6"),    Number(c, "ES8"), Number(c, "excess_kurtosis"),
                                    Number(c, "E_abs_S")};
      });
  return table;
}

const std::vector<NormalDistance>& NormalDistances() {
  static const auto table = Table<NormalDistance>(At(VarianceGammaFile(), "ks_to_normal"), [](const Json& c) {
    return NormalDistance{Integer(c, "d"), Number(c, "D"), Number(c, "at_z")};
  });
  return table;
}

const std::vector<ComponentLawCase>& ComponentLawCases() {
  static const auto table =
      Table<ComponentLawCase>(At(VarianceGammaFile(), "component_laws"), [](const Json& c) {
        return ComponentLawCase{Text(c, "law"),
                                Integer(c, "d"),
                                NumberOr(c, "component_excess_kurtosis", 0.0),
                                NumberOr(c, "mu_q", 0.0),
                                NumberOr(c, "mu_k", 0.0),
                                NumberOr(c, "sigma_q", 1.0),
                                NumberOr(c, "sigma_k", 1.0),
                                NumberOr(c, "rho", 0.0),
                                NumberOr(c, "mean_S", 0.0),
                                Number(c, "var_S"),
                                NumberOr(c, "excess_kurtosis_S", kNoNumber),
                                NumberOr(c, "within_row_var", kNoNumber),
                                Number(c, "mc_var"),
                                NumberOr(c, "mc_var_se", kNoNumber),
                                NumberOr(c, "mc_excess_kurtosis", kNoNumber)};
      });
  return table;
}

const std::vector<VarianceEstimatorCase>& VarianceEstimatorCases() {
  static const auto table = Table<VarianceEstimatorCase>(
      At(At(VarianceGammaFile(), "variance_estimator"), "cases"), [](const Json& c) {
        return VarianceEstimatorCase{Integer(c, "T"), Integer(c, "n"), Integer(c, "d"), Number(c, "rel_var"),
                                     Number(c, "naive_iid")};
      });
  return table;
}

const std::vector<EnsembleCase>& EnsembleCases() {
  static const auto table = Table<EnsembleCase>(At(EnsembleFile(), "iid"), ToEnsembleCase);
  return table;
}

const std::vector<SharedQueryCase>& SharedQueryCases() {
  static const auto table = Table<SharedQueryCase>(At(EnsembleFile(), "qk"), ToSharedQueryCase);
  return table;
}

const std::vector<ExpectedMaximumCase>& ExpectedMaximumCases() {
  static const auto table = Table<ExpectedMaximumCase>(At(EnsembleFile(), "m_n"), [](const Json& c) {
    return ExpectedMaximumCase{Integer(c, "n"), Number(c, "E_max")};
  });
  return table;
}

const std::vector<ExactCurve>& ExactCurves() {
  static const auto table = Table<ExactCurve>(At(EnsembleFile(), "exact_curves"), [](const Json& c) {
    return ExactCurve{Integer(c, "n"),  Numbers(c, "sigma"), Numbers(c, "S2"), Numbers(c, "H"),
                      Numbers(c, "F2"), Numbers(c, "maxp"),  Numbers(c, "lnZ")};
  });
  return table;
}

const std::vector<GradientCase>& GradientCases() {
  static const auto table = Table<GradientCase>(At(EnsembleFile(), "grad"), [](const Json& c) {
    return GradientCase{Integer(c, "d"),
                        Text(c, "scale"),
                        Integer(c, "n"),
                        Integer(c, "dv"),
                        Integer(c, "trials"),
                        MeanAndError(c, "dq_norm"),
                        MeanAndError(c, "dq_norm_sq"),
                        MeanAndError(c, "dS_norm"),
                        MeanAndError(c, "dK_fro_per_query"),
                        MeanAndError(c, "dK_fro_sq_per_query"),
                        Number(c, "dq_norm_median"),
                        Number(c, "dS_norm_median"),
                        Number(c, "frac_dq_lt_1pct_of_rms"),
                        Number(c, "top1pct_share_of_sq")};
  });
  return table;
}

}  // namespace sqrtdk::test
