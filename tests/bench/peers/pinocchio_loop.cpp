// Damped least squares with limit clamping on pinocchio's kinematics, compiled with pinocchio's own
// headers: what a C++ program would write around the library, which ships no such loop itself.
//
// A step is Levenberg-Marquardt's in the palm's frame; joints that stand on a limit and are pushed
// against it are held, the others are clamped into their limits after the step. An attempt that
// stalls ends, and the next one, if one is allowed, starts at a random posture within the limits.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>

#include <pinocchio/multibody.hpp>
#include <pinocchio/spatial.hpp>
#include <pinocchio/algorithm/frames.hpp>

namespace {

constexpr int kJoints = 8;
using Angles = Eigen::Matrix<double, kJoints, 1>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Jacobian = Eigen::Matrix<double, 6, kJoints>;

struct Settings {
  double position_m, rotation_rad;  // solved: within both
  double angular_weight;            // metres that a radian is worth in the damped steps
  double damping, gain, loss;       // at first; factors after a step that wins, or does not
  int steps;                        // at most, in an attempt
  double stall;                     // an attempt ends when a step lowers the cost by a smaller share
  int attempts;
};

constexpr double kLeastDamping = 1e-12, kMostDamping = 1e6;

struct Arm {
  pinocchio::Model model;
  std::unique_ptr<pinocchio::Data> data;
  pinocchio::FrameIndex palm;
  Angles lower, upper, home;
  Settings settings;
  Jacobian jacobian;
};

double uniform(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

pinocchio::SE3 pose(const double* rows) {  // 4 x 4, row-major
  const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> all(rows);
  return pinocchio::SE3(all.topLeftCorner<3, 3>(), all.topRightCorner<3, 1>());
}

double processor_s() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Where the palm's target is as seen from the palm: metres and radians, in the palm's frame.
Vector6 error_at(Arm& arm, const Angles& angles, const pinocchio::SE3& target) {
  arm.jacobian.setZero();
  pinocchio::computeFrameJacobian(arm.model, *arm.data, angles, arm.palm, pinocchio::LOCAL,
                                  arm.jacobian);
  const pinocchio::SE3& now = arm.data->iMf[0];  // the palm's frame, left there by the call above
  Vector6 error;
  error.head<3>() = now.rotation().transpose() * (target.translation() - now.translation());
  error.tail<3>() = pinocchio::log3(now.rotation().transpose() * target.rotation());
  return error;
}

bool solved(const Settings& settings, const Vector6& error) {
  return error.head<3>().norm() <= settings.position_m &&
         error.tail<3>().norm() <= settings.rotation_rad;
}

// The damped step of the joints that are free to take it.
Angles step(const Arm& arm, const Jacobian& weighted, const Vector6& error, const Angles& angles,
            double damping) {
  const Angles pull = weighted.transpose() * error;
  Jacobian free = weighted;
  for (int joint = 0; joint < kJoints; ++joint) {
    const bool held = (angles[joint] <= arm.lower[joint] && pull[joint] < 0.0) ||
                      (angles[joint] >= arm.upper[joint] && pull[joint] > 0.0);
    if (held) free.col(joint).setZero();
  }
  Matrix6 normal = free * free.transpose();
  normal.diagonal().array() += damping;
  return free.transpose() * normal.llt().solve(error);
}

bool attempt(Arm& arm, const pinocchio::SE3& target, Angles& angles) {
  const Settings& settings = arm.settings;
  Vector6 weights;
  weights << 1.0, 1.0, 1.0, settings.angular_weight, settings.angular_weight,
      settings.angular_weight;
  Vector6 error = error_at(arm, angles, target);
  Jacobian weighted = weights.asDiagonal() * arm.jacobian;
  double cost = error.cwiseProduct(weights).squaredNorm();
  double damping = settings.damping;
  for (int count = 0; count < settings.steps; ++count) {
    if (solved(settings, error)) return true;
    const Angles turn = step(arm, weighted, error.cwiseProduct(weights), angles, damping * cost);
    const Angles tried = (angles + turn).cwiseMax(arm.lower).cwiseMin(arm.upper);
    const Vector6 left = error_at(arm, tried, target);
    const double now = left.cwiseProduct(weights).squaredNorm();
    if (now < cost) {
      const bool stalled = now > (1.0 - settings.stall) * cost;
      angles = tried;
      error = left;
      cost = now;
      weighted = weights.asDiagonal() * arm.jacobian;
      damping = std::max(damping * settings.gain, kLeastDamping);
      if (stalled) return solved(settings, error);
    } else {
      damping *= settings.loss;
      if (damping > kMostDamping) return false;
    }
  }
  return solved(settings, error);
}

}  // namespace

extern "C" {

// Joints' origins in the one before and axes (8, 3), limits and home (8,), the palm's frame in the
// last joint's (4, 4); all row-major.
void* arm_new(const double* origins, const double* axes, const double* lower, const double* upper,
              const double* home, const double* hand_from_palm) {
  auto* arm = new Arm;
  pinocchio::JointIndex parent = 0;
  for (int joint = 0; joint < kJoints; ++joint) {
    const Eigen::Vector3d axis = Eigen::Map<const Eigen::Vector3d>(axes + 3 * joint);
    const pinocchio::SE3 placement(Eigen::Matrix3d::Identity(),
                                   Eigen::Map<const Eigen::Vector3d>(origins + 3 * joint));
    const std::string name = "joint_" + std::to_string(joint);
    if (axis == Eigen::Vector3d::UnitX()) {
      parent = arm->model.addJoint(parent, pinocchio::JointModelRX(), placement, name);
    } else if (axis == Eigen::Vector3d::UnitY()) {
      parent = arm->model.addJoint(parent, pinocchio::JointModelRY(), placement, name);
    } else if (axis == Eigen::Vector3d::UnitZ()) {
      parent = arm->model.addJoint(parent, pinocchio::JointModelRZ(), placement, name);
    } else {
      parent = arm->model.addJoint(parent, pinocchio::JointModelRevoluteUnaligned(axis), placement,
                                   name);
    }
  }
  arm->palm = arm->model.addFrame(
      pinocchio::Frame("palm", parent, pose(hand_from_palm), pinocchio::OP_FRAME));
  arm->data = std::make_unique<pinocchio::Data>(arm->model);
  arm->lower = Eigen::Map<const Angles>(lower);
  arm->upper = Eigen::Map<const Angles>(upper);
  arm->home = Eigen::Map<const Angles>(home);
  return arm;
}

void arm_free(void* handle) { delete static_cast<Arm*>(handle); }

void arm_settings(void* handle, const double* numbers) {
  auto& settings = static_cast<Arm*>(handle)->settings;
  settings = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
              static_cast<int>(numbers[6]), numbers[7], static_cast<int>(numbers[8])};
}

// The palm (4, 4) at angles (8,).
void arm_forward(void* handle, const double* angles, double* palm) {
  auto& arm = *static_cast<Arm*>(handle);
  error_at(arm, Eigen::Map<const Angles>(angles), pinocchio::SE3::Identity());
  Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> rows(palm);
  rows = arm.data->iMf[0].toHomogeneousMatrix();
}

// Targets (count, 4, 4) to angles (count, 8), and the processor's seconds for each (count,).
void arm_solve(void* handle, const double* targets, int count, double* angles, double* seconds) {
  auto& arm = *static_cast<Arm*>(handle);
  for (int i = 0; i < count; ++i) {
    const double began_s = processor_s();
    const pinocchio::SE3 target = pose(targets + 16 * i);
    Angles now = arm.home;
    std::uint64_t random = 42;  // the same for every target: the same target, the same answer
    for (int tries = 1; !attempt(arm, target, now) && tries < arm.settings.attempts;
         ++tries) {
      for (int joint = 0; joint < kJoints; ++joint) {
        const double share = uniform(random);
        now[joint] = arm.lower[joint] + share * (arm.upper[joint] - arm.lower[joint]);
      }
    }
    Eigen::Map<Angles>(angles + kJoints * i) = now;
    seconds[i] = processor_s() - began_s;
  }
}
}
