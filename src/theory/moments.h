// Mean, variance and excess kurtosis of a score S = q.k for any law of the components, correlated or not, and
// the error of a variance estimated from samples.
#pragma once

namespace sqrtdk::theory {

// The law of one component z, symmetric, of mean 0 and variance 1. Excess kurtosis: normal 0, uniform -6/5,
// Rademacher (+-1, 1/2 each) -2, Laplace 3, Student t 6/(nu - 4).
enum class ComponentLaw : int { kNormal = 0, kUniform = 1, kRademacher = 2, kLaplace = 3, kStudentT = 4 };

// q = query_mean 1 + query_std R z and k = key_mean 1 + key_std R w, z and w independent vectors of
// independent components of one law. R is the symmetric square root of the correlation matrix Sigma, which
// has 1 on the diagonal and `correlation` elsewhere: R = a I + b 1 1^T, a = sqrt(1 - rho), b = (sqrt(1 +
// (d-1) rho) - a) / d.
struct DotProductMomentsOptions {
  ComponentLaw law = ComponentLaw::kNormal;
  double degrees_of_freedom = 5.0;  // nu, Student t only; > 2: the variance is 1 by scaling, and must exist
  int dimension = 64;               // d >= 1
  double query_mean = 0.0, key_mean = 0.0;
  double query_std = 1.0, key_std = 1.0;  // >= 0
  double correlation = 0.0;               // rho, in [LowestCorrelation(d), 1]
};

// -1/(d-1), below which no d variables can all be correlated with each other; -1 for d = 1, where there is
// nothing to be correlated.
double LowestCorrelation(int dimension);

struct DotProductMoments {
  double mean, variance;
  double excess_kurtosis;  // +inf for Student t with nu <= 4; NaN where the variance is 0
};

// Excess kurtosis E z^4 - 3 of one component; +inf for Student t with nu <= 4, NaN for nu <= 2.
double ComponentExcessKurtosis(ComponentLaw law, double degrees_of_freedom);

// With kappa the components' excess kurtosis, lambda = 1 + (d-1) rho, alpha = mu_k sigma_q sqrt(lambda),
// beta = mu_q sigma_k sqrt(lambda), c = sigma_q sigma_k, T2 = tr Sigma^2 = d (1 + (d-1) rho^2) and
// T4 = tr Sigma^4 = (d-1) (1-rho)^4 + lambda^4, since S - E S = alpha sum z + beta sum w + c z^T Sigma w:
//
//   E S   = d mu_q mu_k
//   Var S = d (alpha^2 + beta^2) + c^2 T2
//   excess kurtosis = K4 / Var^2,
//   K4 = kappa d (alpha^4 + beta^4) + c^2 (alpha^2 + beta^2) (12 d lambda^2 + 6 kappa T2)
//        + c^4 (6 T4 + 6 kappa T2^2 / d + kappa^2 d (1 + (d-1) rho^4)).
//
// Independent components of mean 0: Var S = d c^2, excess kurtosis ((kappa+3)^2 - 3) / d; 6/d if normal.
// Correlated ones make the standard deviation grow like d, so that dividing by sqrt(d) is not enough.
// Derived by taking the mean over w first (E Y^4 = 3 E|v|^4 + kappa E sum v_j^4 + ..., v = beta 1 + c Sigma
// z); odd moments vanish by symmetry. Checked against sums over all 4^d outcomes of Rademacher vectors.
// Relative error below 1e-14 of mean and variance, absolute of the kurtosis (relative, where kappa >= 0). All
// fields NaN for arguments out of range.
DotProductMoments DotProductMomentsOf(const DotProductMomentsOptions& options);

// Standard error of the usual variance estimate s^2 (divisor N-1) from N independent scores:
//
//   SE = sigma^2 sqrt(2/(N-1) + kappa/N),   exact for every law with a fourth moment; +inf without one.
//
// 0 for a constant; NaN for samples < 2 and for moments that are NaN.
double VarianceStandardError(const DotProductMoments& moments, double samples);

// The same, relative to the variance, for the mean square of all rows x keys entries of Q K^T, q and k of
// independent normal components of mean 0: entries of one row or column are dependent, so the estimate is
// worse than from as many independent scores.
//
//   SE / sigma^2 = sqrt(2/(T d) + 2/(n d) + 2/(T n) + 2/(T n d))
//
// Exact, by Wishart's law: E tr(A^2) = T d (T + d + 1) of A = Q Q^T.
//
// Relative error below 1e-15; NaN unless all three are at least 1.
double ScoreMatrixVarianceError(double rows, double keys, double dimension);

}  // namespace sqrtdk::theory
