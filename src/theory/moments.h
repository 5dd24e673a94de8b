// Mean, variance and excess kurtosis of a score S = sum_{i<=d} q_i k_i for component laws other than the
// standard normal, and the error of a variance estimated from samples.
#pragma once

namespace sqrtdk::theory {

// The law of one component, symmetric about its mean and standardised: it has mean mu and standard deviation
// sigma as given beside it. Excess kurtosis: normal 0, uniform -6/5, Rademacher (mu +- sigma, 1/2 each) -2,
// Laplace 3, Student t 6/(nu - 4).
enum class ComponentLaw : int { kNormal = 0, kUniform = 1, kRademacher = 2, kLaplace = 3, kStudentT = 4 };

// Whether a moment exists, and if not, why. The value beside it is NaN unless kExists.
enum class MomentStatus : int {
  kExists = 0,
  kInvalidArgument,   // dimension < 1, a negative or non-finite parameter, |correlation| > 1, nu <= 0 ...
  kNoMean,            // Student t with nu <= 1
  kInfiniteVariance,  // Student t with nu <= 2: there is no unit-variance form, and the sqrt(d) rule fails
  kInfiniteKurtosis,  // Student t with nu <= 4: the variance is right, but no estimate of it has a standard
                      // error
  kUndefined,         // kurtosis of a constant (variance 0)
};

struct Moment {
  double value;
  MomentStatus status;
};

struct DotProductMomentsOptions {
  ComponentLaw law = ComponentLaw::kNormal;
  double degrees_of_freedom = 5.0;  // nu, Student t only; > 0
  int dimension = 64;               // d >= 1
  double query_mean = 0.0, key_mean = 0.0;
  double query_std = 1.0, key_std = 1.0;  // >= 0
};

struct DotProductMoments {
  Moment mean, variance, excess_kurtosis;
};

// Excess kurtosis of one component: E (x - mu)^4 / sigma^4 - 3. degrees_of_freedom is read for Student t
// only.
Moment ComponentExcessKurtosis(ComponentLaw law, double degrees_of_freedom);

// Independent components. With a = mu_k sigma_q, b = mu_q sigma_k, c = sigma_q sigma_k and kappa the
// components' excess kurtosis:
//
//   E S   = d mu_q mu_k
//   Var S = d (a^2 + b^2 + c^2)
//   excess kurtosis = (m4 / (a^2 + b^2 + c^2)^2 - 3) / d,
//   m4 = (kappa+3) (a^4 + b^4 + 6 c^2 (a^2 + b^2)) + 6 a^2 b^2 + (kappa+3)^2 c^4.
//
// m4 is the fourth central moment of one product; all odd moments vanish by symmetry. Zero means give
// ((kappa+3)^2 - 3) / d: 6/d for normal components. Relative error below 1e-15, of the kurtosis absolute.
DotProductMoments DotProductMomentsOf(const DotProductMomentsOptions& options);

// Variance of S when query and key components all have mean 0, are normal and equicorrelated, each with
// correlation `query_correlation` or `key_correlation` between any two components of the same vector:
//
//   Var S = tr(Sigma_q Sigma_k) = sigma_q^2 sigma_k^2 d (1 + (d-1) rho_q rho_k).
//
// So correlated components make the standard deviation grow like d, and dividing by sqrt(d) is not enough;
// one white side suffices to restore d. A correlation matrix needs rho in [-1/(d-1), 1]; otherwise
// kInvalidArgument.
Moment EquicorrelatedVariance(int dimension, double query_std, double key_std, double query_correlation,
                              double key_correlation);

// Standard error of the usual variance estimate s^2 (divisor N-1) from N independent scores:
//
//   SE = sigma^2 sqrt(2/(N-1) + kappa/N),   exact for every law with a fourth moment.
//
// samples >= 2; the status is that of the moments, or kInvalidArgument.
Moment VarianceStandardError(const DotProductMoments& moments, double samples);

// The same for the mean square of all rows x keys entries of Q K^T, q and k iid N(0, 1): entries of one row
// or column are dependent, so the estimate is worse than from as many independent scores. Relative to d,
//
//   SE = sqrt(2/(T d) + 2/(n d) + 2/(T n) + 2/(T n d))    (exact: Wishart, E tr(A^2) = T d (T + d + 1)).
Moment ScoreMatrixVarianceRelativeError(int rows, int keys, int dimension);

}  // namespace sqrtdk::theory
