// Right values computed elsewhere in high precision (tests/vectors/*.json), as plain structs.
//
// This header knows no JSON: nlohmann/json.hpp costs seconds a file, so vectors*.cpp alone include it.
// Every file is read once, at first use; a missing or malformed file ends the run with a message naming it.
// Matrices are row-major. "inf" and "-inf" in the files arrive as infinities, 18-digit decimals as the
// nearest double. Each file's "how" says how its values were made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sqrtdk::test {

// ---- variance_gamma.json: the law of S = sum_{i<=d} q_i k_i, q and k iid N(0,1) ----

struct VarianceGammaPoint {
  int dimension;
  double x;        // unscaled score
  double z;        // x / sqrt(dimension)
  double density;  // f_d(x); +inf at x = 0, d = 1
  double tail;     // P(S > x)
  double cdf;      // P(S <= x)
  double log_density;
};

struct VarianceGammaQuantile {
  int dimension;
  double probability;
  double x;  // P(S <= x) = probability
};

struct VarianceGammaMoments {
  int dimension;
  double second, fourth, sixth, eighth;  // E S^2, S^4, S^6, S^8
  double excess_kurtosis;
  double mean_absolute;  // E |S|
};

// sup_x |F_d(sqrt(d) x) - Phi(x)|: how far a score is from a normal variable.
struct NormalDistance {
  int dimension;
  double distance;
  double at_z;
};

// Components that are not standard normal; NaN where the file has no such value for the law.
struct ComponentLawCase {
  std::string law;  // "normal", "uniform(-sqrt3,sqrt3)", "student t10 (unit var)", "normal with means", ...
  int dimension;
  double component_excess_kurtosis;
  double mean_q, mean_k, std_q, std_k, correlation;
  double mean, variance, excess_kurtosis;  // of S, exact
  double within_row_variance;
  double mc_variance, mc_variance_standard_error, mc_excess_kurtosis;  // simulated
};

// Relative variance of mean(S^2)/d over a rows x keys matrix S = Q K^T of dependent entries.
struct VarianceEstimatorCase {
  int rows, keys, dimension;
  double relative_variance;
  double if_independent;  // what independent entries would give
};

const std::vector<VarianceGammaPoint>& VarianceGammaPoints();
const std::vector<VarianceGammaQuantile>& VarianceGammaQuantiles();
const std::vector<VarianceGammaMoments>& VarianceGammaMomentRows();
const std::vector<NormalDistance>& NormalDistances();
const std::vector<ComponentLawCase>& ComponentLawCases();
const std::vector<VarianceEstimatorCase>& VarianceEstimatorCases();

// ---- ensemble.json: expectations over random rows ----

// A simulated mean; both NaN where it was not simulated.
struct Estimate {
  double mean;
  double standard_error;
};

// One row of n keys with iid N(0, score_std^2) scores.
struct EnsembleCase {
  int keys;
  double score_std;
  // Exact; good to ~1e-15, maximum_probability to ~1e-9.
  double entropy, maximum_probability, sum_squares, sum_cubes, sum_squares_squared, jacobian_trace,
      jacobian_frobenius_squared, log_partition;
  // Simulated over `trials` rows.
  int trials;
  Estimate mc_entropy, mc_maximum_probability, mc_sum_squares, mc_jacobian_frobenius, mc_jacobian_trace;
  double median_jacobian_frobenius, median_maximum_probability, median_entropy;
  double dead_row_share;  // rows with |J|_F < 1e-3
  double f32_zero_share;  // weights that are exactly 0 in float32, denormals kept
  double f32_rows_with_unit_maximum;
};

// One query q ~ N(0, I_d) shared by n keys k_j ~ N(0, I_d): scores scale * q.k_j.
struct SharedQueryCase {
  int keys, dimension;
  std::string scale;  // "none" (1) or "sqrt" (1/sqrt(dimension))
  double scale_value;
  double sum_squares, entropy, jacobian_trace, jacobian_frobenius_squared;  // exact
  Estimate mc_entropy, mc_maximum_probability, mc_sum_squares, mc_jacobian_frobenius, mc_jacobian_trace;
};

struct ExpectedMaximumCase {
  int keys;
  double expected_maximum;  // of `keys` iid N(0,1)
};

// Columns over one grid of score standard deviations. Printed digits: sum_squares 12, frobenius 12, entropy
// 11, maximum_probability 8, log_partition 12.
struct ExactCurve {
  int keys;
  std::vector<double> score_std, sum_squares, entropy, jacobian_frobenius_squared, maximum_probability,
      log_partition;
};

// Simulated backward pass of one query row with n keys, V and dO iid N(0,1).
struct GradientCase {
  int dimension;
  std::string scale;  // "none", "sqrt" or "1/d"
  int keys, value_dimension, trials;
  Estimate dq_norm, dq_norm_squared, ds_norm, dk_norm, dk_norm_squared;
  double dq_norm_median, ds_norm_median;
  double dq_share_below_hundredth_of_rms;
  double dq_top_percent_share_of_square;
};

const std::vector<EnsembleCase>& EnsembleCases();
const std::vector<SharedQueryCase>& SharedQueryCases();
const std::vector<ExpectedMaximumCase>& ExpectedMaximumCases();
const std::vector<ExactCurve>& ExactCurves();
const std::vector<GradientCase>& GradientCases();

// ---- softmax.json ----

struct SoftmaxCase {
  std::string name;
  std::vector<double> z;  // scores; -inf is a masked key
  std::vector<double> g;  // upstream gradient
  std::vector<double> p, log_p;
  double log_sum_exp, entropy;
  double effective_keys_entropy;  // exp(H)
  double effective_keys_simpson;  // 1 / sum p^2
  double sum_squares, jacobian_trace, one_minus_maximum, jacobian_frobenius;
  double jacobian_infinity_norm;         // = 1-norm
  std::vector<double> jacobian_times_g;  // (diag(p) - p p^T) g
  double jacobian_spectral_norm;         // good to ~1e-15 for n >= 64, where it is a float64 eigenvalue
};

// p = sigmoid(D), D ~ N(0, difference_variance).
struct TwoKeyCase {
  double difference_variance;
  double expected_product;  // E p(1-p)
  double median_product;
  double expected_entropy;
  double expected_maximum_probability;
  double product_below_thousandth;  // P(p(1-p) < 1e-3), 12 digits
};

const std::vector<SoftmaxCase>& SoftmaxCases();
const std::vector<TwoKeyCase>& TwoKeyCases();

// ---- attention.json ----

enum class CausalAlignment { kNone, kTopLeft, kBottomRight };

// S = scale Q K^T, then softcap, then mask, softmax, P V; backward from dO. All shapes below row-major.
struct AttentionCase {
  std::string name;
  std::size_t queries, keys, key_dimension, value_dimension;  // T, n, d_k, d_v
  std::string scale;                                          // "sqrt", "none", "d" or the number itself
  double scale_value;
  CausalAlignment causal;
  double softcap;                   // 0: off
  std::vector<std::uint8_t> mask;   // [T, n], 1 = may attend; causal is already in it; empty: all may
  std::vector<double> q;            // [T, d_k]
  std::vector<double> k;            // [n, d_k]
  std::vector<double> v;            // [n, d_v]
  std::vector<double> d_output;     // [T, d_v], dL/dO
  std::vector<double> scores;       // [T, n], after scale and softcap, before the mask
  std::vector<double> p;            // [T, n]
  std::vector<double> log_sum_exp;  // [T], over the allowed keys; -inf for a fully masked row
  std::vector<double> output;       // [T, d_v]; zeros for a fully masked row
  std::vector<double> dq, dk, dv;
  std::vector<double> d_scores;  // [T, n], dL/d(scale Q K^T); empty in the softcap case, not computed there
  double loss;                   // sum(O * dO)
  double dq_norm, dk_norm;       // Frobenius
};

const std::vector<AttentionCase>& AttentionCases();

}  // namespace sqrtdk::test
